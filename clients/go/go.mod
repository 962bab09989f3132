module minutehand

go 1.19
