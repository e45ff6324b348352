{{- define "seat.name" -}}
{{- $readable := printf "seat-%s" (.seat.name | lower | replace "_" "-") | trunc 40 | trimSuffix "-" -}}
{{ $readable }}-{{ printf "%s/%s" .root.Values.organization .seat.name | sha256sum | trunc 8 }}
{{- end -}}

{{- define "seat.identity" -}}
steadmesh.io/organization: {{ .root.Values.organization | quote }}
steadmesh.io/seat: {{ .seat.name | quote }}
{{- end -}}

{{- define "seat.labels" -}}
{{ include "seat.identity" . }}
steadmesh.io/component: seat
{{ include "seat.tierLabels" . }}
{{- end -}}

{{- define "seat.tierLabels" -}}
maqpna.com/tier: {{ .root.Values.tier.name | quote }}
maqpna.com/isolation: {{ .root.Values.tier.isolation | quote }}
maqpna.com/jurisdiction: {{ .root.Values.tier.jurisdiction | quote }}
{{- end -}}

{{- define "seat.ids" -}}
steadmesh.io/organization-id: {{ .root.Values.organization | quote }}
steadmesh.io/seat-id: {{ .seat.name | quote }}
{{- end -}}

{{- /* Annotations of every object; `object` is its group, kind and name. */ -}}
{{- define "seat.annotations" -}}
kustomize.toolkit.fluxcd.io/substitute: disabled
seatplan.dev/owner: steadmesh.io/Seat/{{ .seat.namespace }}/{{ .seat.name }} {{ .object }}
seatplan.dev/tier-digest: {{ .root.Values.tier.digest | quote }}
{{- end -}}

{{- define "seat.revision" -}}
sha256:{{ list .root.Values.image .root.Values.model .root.Values.resources .root.Values.tier .seat | toJson | sha256sum }}
{{- end -}}

{{- define "seat.manifest" -}}
{{- $values := .root.Values -}}
{{- $hosts := list -}}
{{- range sortAlpha .seat.hosts }}{{ $hosts = append $hosts (dict "host" . "ports" (list 80 443)) }}{{ end -}}
{{- dict
  "config_revision" (include "seat.revision" .)
  "organization" $values.organization
  "organization_id" $values.organization
  "seat" .seat.name
  "seat_id" .seat.name
  "namespace" .seat.namespace
  "name" (include "seat.name" .)
  "tier" $values.tier
  "runtime_class_name" $values.runtimeClassName
  "platform_url" $values.platformURL
  "harness" (dict "adapter" $values.adapter "image" $values.image "model" $values.model)
  "resources" $values.resources
  "workspace" (dict "path" "/seat" "shared" list)
  "access" (dict
    "gateway" (dict "url" $values.egressURL)
    "egress" $hosts
    "network" list
    "binaries" list
    "repositories" (list (dict
      "connection" "github"
      "host" "github.com"
      "repos" (list .seat.repository)
      "permissions" (dict "contents" "write" "pull_requests" "write")
      "delivery" "platform")))
  "tools" list
  "attestation" (dict "required" false "audience" "steadmesh-gateway")
  "session" (dict "ttl" $values.sessionTTL)
  "files" (list "instructions.md")
  | toPrettyJson }}
{{- end -}}
