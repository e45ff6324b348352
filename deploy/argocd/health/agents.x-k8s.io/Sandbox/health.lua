-- A Sandbox is as healthy as its pod, by the reasons that agent-sandbox 0.5 gives. Standard libraries are off, and every path
-- must return a status.
local conditions = {}
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  conditions[condition.type] = condition
end
local ready = conditions.Ready
local finished = conditions.Finished or {}

if ready == nil then
  return { status = "Progressing", message = "waits for the controller of agent-sandbox" }
end
local generation = (obj.metadata or {}).generation
if ready.observedGeneration ~= nil and generation ~= nil and ready.observedGeneration ~= generation then
  return { status = "Progressing", message = "waits for the controller of agent-sandbox to see the change" }
end
if ready.status == "True" then
  return { status = "Healthy", message = ready.message }
end
if finished.reason == "PodSucceeded" then
  return { status = "Healthy", message = finished.message } -- also when it expires afterwards
end
if ready.reason == "SandboxSuspended" then
  return { status = "Suspended", message = ready.message }
end
local lasting = { MultiplePods = true, PodFailed = true, SandboxExpired = true } -- not got over by itself
if lasting[ready.reason] then
  return { status = "Degraded", message = ready.message }
end
return { status = "Progressing", message = ready.message }
