"""Documents of the API: declarations of requests and answers. They include things that `minutehand.domain` declares."""
