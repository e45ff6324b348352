-- A SandboxClaim is as healthy as the sandbox that it got, by the reasons that agent-sandbox 0.5 gives. Standard libraries
-- are off, and every path must return a status. A condition's observedGeneration may be the Sandbox's: it tells nothing here.
local conditions = {}
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  conditions[condition.type] = condition
end
local ready = conditions.Ready
local finished = conditions.Finished or {}

if ready == nil then
  return { status = "Progressing", message = "waits for the controller of agent-sandbox" }
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
-- What the controller does not get over by itself. A pool or template that is not found is not among these: engines apply
-- claims before pools, and the controller looks again within a minute.
local lasting = {
  ClaimExpired = true,
  EnvVarsInjectionRejected = true,
  InvalidMetadata = true,
  MultiplePods = true,
  PodFailed = true,
  SandboxExpired = true,
  VolumeClaimTemplatesError = true,
}
if lasting[ready.reason] then
  return { status = "Degraded", message = ready.message }
end
return { status = "Progressing", message = ready.message }
