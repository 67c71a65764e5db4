import type { Context } from '../../domain/context.ts'
import type { ChartKind } from '../../domain/report/chart-kind.ts'
import type { Day } from '../../domain/report/days.ts'
import type { Results } from '../../domain/report/queries.ts'
import { showDays, showReport } from '../../domain/report/show.ts'
import { assertFew } from '../../domain/response/filter/filter.ts'
import type { ResponseSearch } from '../../domain/response/list/queries.ts'
import type { Narrow } from './chart-data.ts'
import { addressOf, conditionsIn, OWN, PARAMETERS, withCondition } from './conditions.ts'

/** Somebody looks at a report: one of the survey's people, or whoever was given the link and the password. */
export interface ReportRequest {
  context: Context
  survey: { id: number; name: string; live: boolean; responses: number }
  title: string
  /** What it shows, as it is kept. */
  design: {
    questions?: readonly string[] | null
    charts: Readonly<Record<string, ChartKind>>
    query: string
    shareTextAnswers: boolean
  }
  /** The path under which its parts lie, with a slash at the end. */
  base: string
  /** Conditions beside the report's own, as they stand in the address; always none for those who were given the link. */
  conditions: readonly string[]
  language: string | undefined
  /** Whether it is one of the survey's people: they may filter and open single responses. */
  own: boolean
}

/**
 * The conditions and the language of an address.
 * @param own strangers may set no conditions: they could single people out
 * @throws {Problem} `invalid_request` for too many conditions
 */
export function lookedAt(
  query: URLSearchParams,
  search: string,
  own: boolean,
): Pick<ReportRequest, 'conditions' | 'language'> {
  const all = [...conditionsIn(query.get(OWN.base) ?? ''), ...conditionsIn(search)]
  const conditions = own ? [...new Set(all)] : []
  assertFew(conditions)
  return { conditions, language: query.get(OWN.language) || undefined }
}

/** Whether text answers are shown: always to the survey's own people, to others only where the report shares them. */
export const showsTexts = ({ own, design }: Pick<ReportRequest, 'own' | 'design'>): boolean =>
  own || design.shareTextAnswers

/** What is asked for beside the report’s own conditions. */
export const searchFor = ({ conditions }: Pick<ReportRequest, 'conditions'>): ResponseSearch => {
  const search = conditions.join('&')
  return {
    search,
    mode: 'strict',
    known: PARAMETERS,
    filter: new URLSearchParams(search).get('filter') ?? undefined,
  }
}

/** @throws {Problem} `invalid_request` for conditions that do not fit the survey */
export const resultsFor = (looking: ReportRequest): Promise<Results> =>
  showReport(looking.context, looking.survey.id, looking.design, searchFor(looking))

/** @throws {Problem} as {@link resultsFor} */
export const daysFor = (looking: ReportRequest): Promise<Day[]> =>
  showDays(looking.context, looking.survey.id, looking.design, searchFor(looking))

/** The address of a part of the report, looked at in the same way. */
export const partOf = ({ base, conditions, language }: ReportRequest, path: string): string =>
  addressOf(base + path, conditions, language)

/** Where a chart and its numbers can be had as files. */
export function downloadsOf(looking: ReportRequest, id: string): { svg: string; png: string; csv: string } {
  const path = `charts/${encodeURIComponent(id)}/`
  return {
    svg: partOf(looking, `${path}chart.svg`),
    png: partOf(looking, `${path}chart.png`),
    csv: partOf(looking, `${path}numbers.csv`),
  }
}

/** Leads to the same report with one more condition. */
export const narrowing =
  ({ own, base, conditions, language }: ReportRequest): Narrow =>
  (condition) =>
    own ? addressOf(base, withCondition(conditions, condition), language) : undefined
