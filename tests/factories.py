"""Makes what tests act on, through the services that people and agents use. No assertion and no fixture is here."""
