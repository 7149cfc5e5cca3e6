-- adopt.lua: the last step of an import; a complete log becomes the session's, or nothing changes.
-- KEYS[1] import:<token>, stream with a TTL   KEYS[2] log:<session>   KEYS[3] sessions, zset session -> ts
-- ARGV[1] session                             ARGV[2] ts of its last event
-- Answers 1, or 0 when the session has a log already.
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('PERSIST', KEYS[1])
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
return 1
