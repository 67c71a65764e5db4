import { defineEntity, p } from '@mikro-orm/core'
import type { PanelReturn } from '../survey/panel-return.ts'
import type { SurveySettings } from '../survey/settings.ts'
import { SurveySchema } from '../survey/survey.ts'

export const CollectorSchema = defineEntity({
  name: 'Collector',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').index(),
    name: p.text(),
    live: p.boolean().default(true),
    isDefault: p.boolean().default(false),
    /** Settings that replace those of the survey for this collector. */
    settings: p.json<Partial<SurveySettings>>(),
    /** Where the respondents of a panel return; null: the collector has no panel. */
    panelReturn: p.json<PanelReturn>().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [
    {
      name: 'collector_default_key',
      expression: 'create unique index collector_default_key on collector (survey_id) where is_default',
    },
  ],
})

/** A channel for responses to a survey. Every survey has a default collector. */
export class Collector extends CollectorSchema.class {}
CollectorSchema.setClass(Collector)
