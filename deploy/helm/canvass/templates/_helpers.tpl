{{- define "canvass.name" -}}
{{- $name := printf "%s-%s" .Release.Name .Chart.Name }}
{{- if contains .Chart.Name .Release.Name }}{{ $name = .Release.Name }}{{ end }}
{{- $name | trunc 53 | trimSuffix "-" }}
{{- end }}

{{- /* Labels of all pods, or of those of one component. */}}
{{- define "canvass.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "canvass.labels" -}}
{{ include "canvass.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- /* Settings as environment variables. Helm reads numbers as floating point: 1000000 would become 1e+06. */}}
{{- define "canvass.environment" }}
{{- $settings := deepCopy .root.Values.settings }}
{{- if .root.Values.ingress.enabled }}{{ $settings = merge $settings (dict "TRUSTED_PROXIES" 1) }}{{ end }}
{{- $own := dict "WORKER" "off" }}
{{- if eq .component "work" }}{{ $own = dict "WORKER" "on" "METRICS_PORT" 8080 "METRICS_HOST" "0.0.0.0" }}{{ end }}
{{- range $name, $value := merge $own $settings }}
- name: {{ $name }}
  value: {{ if kindIs "float64" $value }}{{ int64 $value | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- range list "DATABASE_URL" "SECRET_KEY" }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $.root.Values.existingSecret }}, key: {{ . }} } }
{{- end }}
{{- end }}

{{- /* The specification of a pod. Its root file system is read-only; it writes to two temporary volumes. */}}
{{- define "canvass.pod" -}}
{{- $values := .root.Values }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
# The server finishes its last requests and jobs within 50 seconds after the delay.
terminationGracePeriodSeconds: {{ add 50 (int ($values.settings.STOP_DELAY_SECONDS | default 1)) }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
containers:
  - name: canvass
    image: {{ printf "%s:%s" $values.image.repository ($values.image.tag | default .root.Chart.AppVersion) | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: [{{ .component }}]
    env: {{- include "canvass.environment" . | indent 6 }}
    envFrom:
      - secretRef: { name: {{ $values.existingSecret }} }
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    resources: {{ toYaml (get $values .component).resources | nindent 6 }}
    volumeMounts:
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
    {{- if ne .component "migrate" }}
    ports:
      - { name: http, containerPort: 8080 }
    # A pod does not listen on the port until the database has been migrated.
    startupProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 2
      failureThreshold: 450
    livenessProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /readyz, port: http }
      periodSeconds: 5
      timeoutSeconds: 3
      failureThreshold: 2
    {{- end }}
volumes:
  - { name: data, emptyDir: { sizeLimit: 1Gi } }
  - { name: tmp, emptyDir: { sizeLimit: {{ $values.tmpSizeLimit }} } }
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Labels and annotations of a pod. */}}
{{- define "canvass.podMetadata" -}}
labels:
  {{- include "canvass.labels" . | nindent 2 }}
  {{- with .root.Values.podLabels }}{{ toYaml . | nindent 2 }}{{ end }}
{{- with .root.Values.podAnnotations }}
annotations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
