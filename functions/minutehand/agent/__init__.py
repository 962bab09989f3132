"""The agent: runs the commands of a pool's jobs on a machine of one's own. It decides nothing: the function `agents` starts runs."""
