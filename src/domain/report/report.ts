import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/text-array.ts'
import { SurveySchema } from '../survey/survey.ts'
import type { ChartKind } from './chart-kind.ts'

export const ReportSchema = defineEntity({
  name: 'Report',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').index(),
    title: p.text(),
    /** Ids of the questions that it shows; null: all, also those that are asked later. */
    questions: p.type(TextArray).$type<string[]>().nullable(),
    /** How questions are drawn, by id, where it is not the usual way. */
    charts: p.json<Record<string, ChartKind>>().default('{}'),
    /** Only responses that pass these conditions count, as in a query string; choices by their stable numbers. */
    query: p.text().default(''),
    /** Whether people who open it by its shared link see what respondents wrote. */
    shareTextAnswers: p.boolean().default(false),
    createdAt: p.datetime(),
  },
})

/** A named view of a survey's results; the figures are computed when it is opened. */
export class Report extends ReportSchema.class {}
ReportSchema.setClass(Report)
