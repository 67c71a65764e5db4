import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { type ZipEntry, zipStream } from '../../../lib/zip.ts'
import type { Context } from '../../context.ts'
import { DEFAULT_EXPORT_OPTIONS, type ExportOptions } from '../../response/export/columns.ts'
import { recordExport, whileConnected } from '../../response/export/export.ts'
import { RowIndex, writeFile } from '../../response/export/file.ts'
import { type ExportPlan, planExport } from '../../response/export/plan.ts'
import { type ExportSession, openSession } from '../../response/export/session.ts'
import { codebookCsv, csvTable, findVariables } from '../../response/export/statistics/codebook.ts'
import { filtersOf, type ResponseSearch } from '../../response/list/queries.ts'
import { findSnapshot } from '../../survey/queries.ts'
import { remember } from '../../survey/remembered.ts'
import { ONLY_COMPLETE, type ReportFilter, testsStatus } from '../queries.ts'
import { figureRows } from './figures.ts'

const ANALYSIS = { ...DEFAULT_EXPORT_OPTIONS, statistics: true } as const
const DATA: readonly { name: string; options: ExportOptions }[] = [
  { name: 'responses.csv', options: ANALYSIS },
  { name: 'responses.sav', options: { ...ANALYSIS, format: 'sav' } },
  { name: 'responses.parquet', options: { ...ANALYSIS, format: 'parquet' } },
]
const SCRIPTS = ['analysis.py', 'analysis.R']
/** The same responses make the same archive. */
const TIME = new Date(1980, 0, 1)

const README = `The responses of a report, and two scripts that print its counts,
percentages, ranks, means with their spread, medians and scores.

responses.csv, responses.sav, responses.parquet  the same responses, for statistics programs
codebook.csv   names, labels, types and values of the variables
figures.csv    which variables the figures of the report are made from
analysis.py    prints the figures with Python 3, without any package: python3 analysis.py --labels
analysis.R     prints the figures with R, without any package: Rscript analysis.R --labels

With --weighted, the scripts print the figures of the weighted responses, if the survey has weights.
`

/** Returns the name of the archive of a survey. */
export const analysisName = (slug: string): string => `${slug}-analysis.zip`

/**
 * Returns a ZIP archive with the responses of a report as of one moment, and scripts that print the figures of the report.
 * Destroy the stream if you do not read it.
 * @throws {Problem} as `planExport`; `too_many_exports`
 */
export async function openAnalysis(
  context: Context,
  surveyId: number,
  report: ReportFilter,
): Promise<{ filename: string; stream: Readable }> {
  const { slug, questionnaire: q } = await findSnapshot(context, surveyId, 'Export')
  const search = await searchOf(context, surveyId, report)
  const plans = await Promise.all(
    DATA.map(async ({ name, options }) => ({ name, plan: await planExport(context, surveyId, search, options) })),
  )
  const variables = await findVariables(context, surveyId, ANALYSIS)
  await recordExport(context, plans[0]!.plan)
  const session = await openSession(context.services.pool)
  const text = (path: string, content: string): ZipEntry => ({
    path,
    open: async () => Readable.from([Buffer.from(content)]),
  })
  const entries: ZipEntry[] = [
    text('README.txt', README),
    text('codebook.csv', codebookCsv(variables)),
    text('figures.csv', csvTable(figureRows(q, variables, report.questions))),
    ...SCRIPTS.map((name) => ({
      path: name,
      open: async () => createReadStream(path.join(import.meta.dirname, name)),
    })),
    ...plans.map(({ name, plan }) => ({
      path: name,
      compress: !name.endsWith('.parquet'),
      open: async () => Readable.from(blocksOf(session, plan), { objectMode: false }),
    })),
  ]
  const stream = zipStream(entries, TIME)
  stream.once('end', () => session.finish().catch(() => session.abort()))
  stream.once('close', () => stream.readableEnded || session.abort())
  return { filename: analysisName(slug), stream }
}

async function* blocksOf(session: ExportSession, plan: ExportPlan): AsyncGenerator<Buffer> {
  for await (const { bytes } of writeFile(session, plan, new RowIndex())) yield bytes
}

/**
 * Returns the SHA-256 of the archive in hexadecimal, for comparison with a downloaded one. Makes the archive only if the
 * survey, its responses or the report have changed.
 */
export async function hashOfAnalysis(context: Context, surveyId: number, report: ReportFilter): Promise<string> {
  const snapshot = await findSnapshot(context, surveyId, 'Export')
  const { hash } = await remember(context, snapshot, ['analysis', report.query, report.questions], async () => ({
    hash: await makeHash(context, surveyId, report),
  }))
  return hash
}

async function makeHash(context: Context, surveyId: number, report: ReportFilter): Promise<string> {
  const { stream } = await openAnalysis(context, surveyId, report)
  return whileConnected(
    context,
    () => stream.destroy(),
    async () => {
      const hash = createHash('sha256')
      for await (const block of stream) hash.update(block as Buffer)
      return hash.digest('hex')
    },
  )
}

/** Selects the responses of a report: the complete ones, unless its filters test the status. */
async function searchOf(context: Context, surveyId: number, { query }: ReportFilter): Promise<ResponseSearch> {
  const snapshot = await findSnapshot(context, surveyId, 'Export')
  const search = { search: '', mode: 'strict', parameters: new Set<string>(), also: query } as const
  const filters = await filtersOf(context, snapshot, search)
  return testsStatus(filters) ? search : { ...search, search: ONLY_COMPLETE }
}
