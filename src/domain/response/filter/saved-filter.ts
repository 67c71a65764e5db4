import { defineEntity, p } from '@mikro-orm/core'
import { SurveySchema } from '../../survey/survey.ts'

export const SavedFilterSchema = defineEntity({
  name: 'SavedFilter',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade'),
    name: p.text(),
    /** The conditions as in a query string, `q1=2&_created_at>2024-01-31`; choices by their stable numbers. */
    query: p.text(),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'saved_filter_name_key', properties: ['survey', 'name'] }],
})

/** Conditions on responses kept under a name, per survey. */
export class SavedFilter extends SavedFilterSchema.class {}
SavedFilterSchema.setClass(SavedFilter)
