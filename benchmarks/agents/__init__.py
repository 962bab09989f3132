"""An agent: what it takes while idle, how soon it starts commands, and how much it bears."""
