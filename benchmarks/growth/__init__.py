"""Time of a tick with 100 jobs due, among few jobs and among a million."""
