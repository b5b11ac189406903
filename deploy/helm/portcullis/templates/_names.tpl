{{/* The name of everything, at most 52 characters, so that a suffix fits. */}}
{{- define "portcullis.name" -}}
{{- if contains "portcullis" .Release.Name -}}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-portcullis" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "portcullis.selector" -}}
app.kubernetes.io/name: portcullis
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "portcullis.labels" -}}
{{ include "portcullis.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* portcullis.yaml: what the chart knows, and over it what `config` says. */}}
{{- define "portcullis.config" -}}
{{- $file := "file:/run/secrets/portcullis" }}
{{- $server := dict "baseUrl" .Values.baseUrl "listen" "0.0.0.0:8443" "operator" "0.0.0.0:9464" "tls" "off" "trustedProxies" .Values.trustedProxies "drain" (dict "ready" "5s") }}
{{- $own := dict "mode" "production" "server" $server "data" (dict "folder" "/data") "log" (dict "format" "json") }}
{{- $_ := set $own "secrets" (dict "masterKeys" (printf "%s/master-keys" $file)) }}
{{- if eq .Values.store.kind "shared" }}
{{- $_ := set $own "store" (dict "url" (printf "%s/store-url" $file)) }}
{{- $_ := set $own "redis" (dict "url" (printf "%s/redis-url" $file)) }}
{{- end }}
{{- toYaml (mergeOverwrite $own (deepCopy .Values.config)) }}
{{- end }}
