-- newer.lua: write one field of a hash unless it was already written on a later state, and count its writes.
-- KEYS[1] the hash
-- ARGV[1] field     ARGV[2] order, a whole number     ARGV[3] value
-- The field holds "<order> <revision> <value>". Answers the revision, or 0 when nothing was written.
local order, revision = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (%d+) ')
if order and tonumber(order) > tonumber(ARGV[2]) then return 0 end
revision = string.format('%d', (revision or 0) + 1)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. revision .. ' ' .. ARGV[3])
return tonumber(revision)
