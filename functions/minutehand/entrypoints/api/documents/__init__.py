"""Documents of the API: dataclasses that declare the fields of requests and answers. Some contain types of `minutehand.domain`."""
