import type { Readable } from 'node:stream'
import { problems } from '../domain/problem.ts'
import type { Export } from '../domain/response/export/export.ts'
import type { ExportOptions } from '../domain/response/export/options.ts'
import { attachment } from './attachment.ts'

/** The query of an export, the same in all versions of the API. */
export interface ExportQuery {
  filter?: string
  ids?: number[]
  include?: string[]
  language?: string
  include_url?: boolean
  include_labels?: boolean
  include_id?: boolean
  include_key?: boolean
  show_titles?: boolean
  score_based?: boolean
  escape_newline?: boolean
  tab_separated?: boolean
  comma_separated?: boolean
  strip_html?: boolean
  inverted?: boolean
  include_response_link?: boolean
  formula_guard?: boolean
  bom?: boolean
}

/**
 * Returns the options of an export.
 * @throws {Problem} `invalid_request` for both tab_separated and comma_separated
 */
export function exportOptions(query: ExportQuery): ExportOptions {
  if (query.tab_separated && query.comma_separated)
    throw problems.invalidField('comma_separated', 'mutually_exclusive', { other: 'tab_separated' })
  return {
    labels: query.include_labels ?? false,
    scores: query.score_based ?? false,
    keysInHeader: query.include_id ?? false,
    titles: query.show_titles ?? false,
    inverted: query.inverted ?? false,
    escapeNewline: query.escape_newline ?? false,
    stripHtml: query.strip_html ?? false,
    formulaGuard: query.formula_guard ?? false,
    tabSeparated: query.tab_separated ?? false,
    bom: query.bom ?? false,
    withKey: query.include_key ?? false,
    withUrl: query.include_url ?? false,
    withLink: query.include_response_link ?? false,
    language: query.language || undefined,
    include: query.include?.length ? query.include : undefined,
    ids: query.ids?.length ? query.ids : undefined,
  }
}

/** The parameters of an export that are not filters. */
export const EXPORT_PARAMETERS: ReadonlySet<string> = new Set<keyof ExportQuery>([
  'filter',
  'ids',
  'include',
  'language',
  'include_url',
  'include_labels',
  'include_id',
  'include_key',
  'show_titles',
  'score_based',
  'escape_newline',
  'tab_separated',
  'comma_separated',
  'strip_html',
  'inverted',
  'include_response_link',
  'formula_guard',
  'bom',
])

/** Returns the reply that streams the file. */
export const exportReply = ({ filename, charset, stream }: Export) => ({
  status: 200 as const,
  stream: stream as Readable,
  headers: { 'Content-Type': `text/csv; charset=${charset}`, 'Content-Disposition': attachment(filename) },
})
