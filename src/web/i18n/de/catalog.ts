import { readdirSync, readFileSync } from 'node:fs'
import type { Catalog } from '../catalog.ts'
import { details } from './details.ts'
import { errors } from './errors.ts'
import { issues, syntax, warnings, warningsWithSuggestion } from './imports.ts'

/** Nouns that follow a number. */
const plurals: Catalog['plurals'] = new Map([
  ['answer', { one: 'Antwort', other: 'Antworten' }],
  ['attempt', { one: 'Versuch', other: 'Versuche' }],
  ['code', { one: 'Code', other: 'Codes' }],
  ['contact', { one: 'Kontakt', other: 'Kontakte' }],
  ['day', { one: 'Tag', other: 'Tage' }],
  ['delivery', { one: 'Zustellung', other: 'Zustellungen' }],
  ['error', { one: 'Fehler', other: 'Fehler' }],
  ['file', { one: 'Datei', other: 'Dateien' }],
  ['language', { one: 'Sprache', other: 'Sprachen' }],
  ['list', { one: 'Liste', other: 'Listen' }],
  ['member', { one: 'Mitglied', other: 'Mitglieder' }],
  ['more', { one: 'weitere', other: 'weitere' }],
  ['more rule', { one: 'weitere Regel', other: 'weitere Regeln' }],
  ['new response', { one: 'neue Antwort', other: 'neue Antworten' }],
  ['page', { one: 'Seite', other: 'Seiten' }],
  ['question', { one: 'Frage', other: 'Fragen' }],
  ['quota', { one: 'Quote', other: 'Quoten' }],
  ['recipient', { one: 'Empfänger', other: 'Empfänger' }],
  ['reminder', { one: 'Erinnerung', other: 'Erinnerungen' }],
  ['row', { one: 'Zeile', other: 'Zeilen' }],
  ['respondent', { one: 'Befragter', other: 'Befragte' }],
  ['response', { one: 'Antwort', other: 'Antworten' }],
  ['text', { one: 'Text', other: 'Texte' }],
  ['survey', { one: 'Umfrage', other: 'Umfragen' }],
  ['numeric answer', { one: 'numerische Antwort', other: 'numerische Antworten' }],
  ['time', { one: 'Mal', other: 'Mal' }],
  ['warning', { one: 'Warnung', other: 'Warnungen' }],
])

const notFound = (noun: string) => `${noun} gibt es nicht, oder Ihnen fehlt der Zugriff.`

const problems: Catalog['problems'] = {
  invalid_request: 'Die Angaben sind ungültig.',
  invalid_structure: 'Die Struktur ist ungültig.',
  invalid_csv: 'Die CSV-Datei ist ungültig.',
  invalid_xlsform: 'Die Datei ist kein XLSForm, oder sie ist zu groß.',
  survey_error: 'Die Antworten passen nicht zur Umfrage.',
  unauthenticated: 'Benutzername, E-Mail-Adresse oder Passwort ist falsch.',
  forbidden: 'Sie haben nicht die Rolle, die dafür nötig ist.',
  too_many_attempts: 'Zu viele falsche Passwörter. Versuchen Sie es in {seconds} Sekunden erneut.',
  too_many_requests: 'Eine Grenze ist erreicht. Versuchen Sie es in {seconds} Sekunden erneut.',
  link_expired: 'Dieser Link ist abgelaufen oder wurde bereits verwendet.',
  survey_full: 'Die Umfrage hat die Höchstzahl der Antworten erreicht.',
  survey_closed: 'Die Umfrage ist nicht live.',
  cursor_expired: 'Diese Position im Änderungsstrom gibt es nicht mehr.',
  email_taken: 'Diese E-Mail-Adresse hat bereits ein Konto.',
  username_taken: 'Dieser Benutzername ist vergeben.',
  slug_taken: 'Eine andere Umfrage hat gleichzeitig diese Adresse erhalten. Versuchen Sie es erneut.',
  filter_exists: 'Die Umfrage hat bereits einen Filter mit diesem Namen.',
  contact_exists: 'Einen Kontakt mit diesem Namen und dieser E-Mail-Adresse gibt es bereits.',
  webhook_exists: 'Diese URL hat bereits einen Webhook.',
  invite_used: 'Dieser Einladungscode hat bereits eine Antwort.',
  response_count_changed: 'Inzwischen passt eine andere Anzahl von Antworten. Es wurde nichts gelöscht.',
  structure_changed: 'Jemand hat die Umfrage inzwischen geändert. Es wurde nichts gespeichert.',
  anonymity_locked: 'Die Umfrage hat anonyme Antworten. Die Anonymität kann daher nicht ausgeschaltet werden.',
  email_sent: 'Diese E-Mail ist gesendet oder geplant und kann nicht geändert werden.',
  email_not_sent: 'Diese E-Mail ist ein Entwurf und wurde nicht gesendet.',
  nobody_to_remind: 'Es gibt niemanden zu erinnern: Es wurde nichts gesendet, oder alle haben geantwortet.',
  collector_default: 'Der Standard-Collector kann nicht gelöscht werden.',
  collector_has_responses: 'Der Collector hat Antworten und kann nicht gelöscht werden. Schließen Sie ihn stattdessen.',
  busy: 'Eine andere Anfrage hat gleichzeitig dasselbe geändert. Versuchen Sie es erneut.',
  unavailable:
    'Der Dienst ist derzeit nicht erreichbar oder überlastet. Versuchen Sie es in {seconds} Sekunden erneut.',
  too_many_exports: 'Es laufen zu viele Exporte. Versuchen Sie es in einigen Sekunden erneut.',
  too_many_pictures: 'Es werden zu viele Bilder erstellt. Versuchen Sie es gleich erneut.',
  render_timeout: 'Das Bild brauchte zu lange. Laden Sie die SVG-Datei; sie zeigt dasselbe Diagramm.',
  api_key_not_found: notFound('Diesen API-Schlüssel'),
  application_not_found: notFound('Diese Anwendung'),
  collector_not_found: notFound('Diesen Collector'),
  contact_not_found: notFound('Diesen Kontakt'),
  contact_list_not_found: notFound('Diese Kontaktliste'),
  delivery_not_found: notFound('Diese Zustellung'),
  email_not_found: notFound('Diese E-Mail'),
  embed_not_found: notFound('Diese Einbettung'),
  file_not_found: notFound('Diese Datei'),
  filter_not_found: notFound('Diesen Filter'),
  group_not_found: notFound('Diese Gruppe'),
  member_not_found: notFound('Dieses Mitglied'),
  message_not_found: notFound('Diese Nachricht'),
  plan_not_found: notFound('Diesen Tarif'),
  question_not_found: notFound('Diese Frage'),
  report_not_found: notFound('Diesen Bericht'),
  response_not_found: notFound('Diese Antwort'),
  session_not_found: notFound('Diese Sitzung'),
  survey_not_found: notFound('Diese Umfrage'),
  tag_not_found: notFound('Dieses Schlagwort'),
  template_not_found: notFound('Diese Vorlage'),
  gallery_template_not_found: notFound('Diese Vorlage'),
  user_not_found: notFound('Diesen Benutzer'),
  version_not_found: notFound('Diese Version'),
  webhook_not_found: notFound('Diesen Webhook'),
}

const read = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<string, string>

/** The German translations. Each folder of pages has a file of translations. */
export const de: Catalog = {
  texts: new Map(
    readdirSync(new URL('texts/', import.meta.url)).flatMap((name) => Object.entries(read(`texts/${name}`))),
  ),
  plurals,
  scripts: read('scripts.json'),
  errors,
  details,
  problems,
  syntax,
  warnings,
  warningsWithSuggestion,
  issues,
}
