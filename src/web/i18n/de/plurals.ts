import type { Catalog } from '../catalog.ts'

/** Nouns that follow a number. */
export const plurals: Catalog['plurals'] = new Map([
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
  ['response', { one: 'Antwort', other: 'Antworten' }],
  ['survey', { one: 'Umfrage', other: 'Umfragen' }],
  ['numeric answer', { one: 'numerische Antwort', other: 'numerische Antworten' }],
  ['warning', { one: 'Warnung', other: 'Warnungen' }],
])
