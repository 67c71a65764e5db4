import { problems } from '../../../domain/problem.ts'
import { exportResponses } from '../../../domain/response/export/export.ts'
import type { ExportOptions } from '../../../domain/response/export/options.ts'
import { firstByte } from '../../../lib/first-byte.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { OWN, readAsked } from './list-query.ts'

/** What the form about the download says. @throws {Problem} `invalid_request` for a number of a response that is none */
function optionsIn(query: URLSearchParams): ExportOptions {
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
    ids: idsIn(query.get('ids') ?? ''),
  }
}

function idsIn(text: string): number[] | undefined {
  const parts = text.split(/[\s,;]+/).filter(Boolean)
  const wrong = parts.find((part) => !/^\d{1,15}$/.test(part))
  if (wrong !== undefined) throw problems.invalidField('ids', `“${wrong.slice(0, 40)}” is not a response number`)
  return parts.length > 0 ? parts.map(Number) : undefined
}

/** The file: nothing of it is sent before its first bytes are there, so what fails at once is told on a page. */
export async function downloadCsv({ context, survey, query }: SurveyRequest): Promise<PageResult> {
  const search = query.get('base') ?? ''
  const asked = { search, mode: 'strict', known: OWN, filter: readAsked(search).filter } as const
  const { filename, charset, stream } = await exportResponses(context, survey.id, asked, optionsIn(query))
  await firstByte(stream)
  return { file: stream, type: `text/csv; charset=${charset}`, name: filename }
}
