"""What the API takes and answers, declared: requests and answers beside the things that `minutehand.domain` declares itself."""
