import { defineEntity, p } from '@mikro-orm/core'
import { SurveySchema } from '../survey/survey.ts'

export const ReportSchema = defineEntity({
  name: 'Report',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').index(),
    title: p.text(),
    createdAt: p.datetime(),
  },
})

/** A named view of a survey's results; the figures are computed when it is opened. */
export class Report extends ReportSchema.class {}
ReportSchema.setClass(Report)
