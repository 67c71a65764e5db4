import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/postgres-client.ts'
import { SurveySchema } from '../survey/survey.ts'
import type { ChartKind } from './chart-kind.ts'

export const ReportSchema = defineEntity({
  name: 'Report',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').index(),
    title: p.text(),
    /** Ids of the questions in the report; null: all questions, including questions that are added later. */
    questions: p.type(TextArray).$type<string[]>().nullable(),
    /** Charts that are not the default, by question id. */
    charts: p.json<Record<string, ChartKind>>().default('{}'),
    /** Filters as a query string with stable numbers of choices. */
    query: p.text().default(''),
    /** Whether the shared report shows text answers. */
    shareTextAnswers: p.boolean().default(false),
    createdAt: p.datetime(),
  },
})

/** A named view of the results of a survey. The results are computed on request. */
export class Report extends ReportSchema.class {}
ReportSchema.setClass(Report)
