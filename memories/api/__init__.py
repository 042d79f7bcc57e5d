"""REST: a request becomes plain values, one domain call is made, the answer or the error becomes JSON."""
