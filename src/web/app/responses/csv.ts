import { problems } from '../../../domain/problem.ts'
import { exportResponses } from '../../../domain/response/export/export.ts'
import type { ExportOptions } from '../../../domain/response/export/options.ts'
import { firstByte } from '../../../lib/first-byte.ts'
import { PAGE_PARAMETERS, parseListQuery } from '../../filter/list-query.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/**
 * Reads the download form.
 * @throws {Problem} `invalid_request` for an invalid response number
 */
function readOptions(query: URLSearchParams): ExportOptions {
  const has = (flag: string) => query.get(flag) === '1'
  const format = query.get('format')
  const include = query.getAll('include').filter(Boolean)
  return {
    labels: has('include_labels'),
    scores: has('score_based'),
    keysInHeader: has('include_id'),
    titles: has('show_titles'),
    inverted: has('inverted'),
    escapeNewline: has('escape_newline'),
    stripHtml: has('strip_html'),
    formulaGuard: has('formula_guard'),
    tabSeparated: format === 'tab_separated',
    bom: format === 'bom',
    withKey: has('include_key'),
    withUrl: has('include_url'),
    withLink: has('include_response_link'),
    language: query.get('language') || undefined,
    include: include.length > 0 ? include : undefined,
    ids: readIds(query.get('ids') ?? ''),
  }
}

function readIds(text: string): number[] | undefined {
  const parts = text.split(/[\s,;]+/).filter(Boolean)
  const wrong = parts.find((part) => !/^\d{1,15}$/.test(part))
  if (wrong !== undefined) throw problems.invalidField('ids', 'invalid_id', { value: wrong.slice(0, 40) })
  return parts.length > 0 ? parts.map(Number) : undefined
}

/**
 * Sends the responses as a CSV file. The reply waits for the first byte of the file, so that an error before it is
 * shown on a page.
 */
export async function downloadCsv({ context, survey, query }: SurveyRequest): Promise<PageResult> {
  const search = query.get('base') ?? ''
  const selected = {
    search,
    mode: 'strict',
    parameters: PAGE_PARAMETERS,
    filter: parseListQuery(search).filter,
  } as const
  const { filename, charset, stream } = await exportResponses(context, survey.id, selected, readOptions(query))
  await firstByte(stream)
  return { file: stream, type: `text/csv; charset=${charset}`, name: filename }
}
