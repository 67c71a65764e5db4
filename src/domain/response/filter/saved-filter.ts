import { defineEntity, p } from '@mikro-orm/core'
import { SurveySchema } from '../../survey/survey.ts'

export const SavedFilterSchema = defineEntity({
  name: 'SavedFilter',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade'),
    name: p.text(),
    /** The conditions as a query string with stable numbers of choices: `q1=2&_created_at>2024-01-31`. */
    query: p.text(),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'saved_filter_name_key', properties: ['survey', 'name'] }],
})

/** Named conditions on the responses to a survey. */
export class SavedFilter extends SavedFilterSchema.class {}
SavedFilterSchema.setClass(SavedFilter)
