import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'
import type { Structure } from '../structure/structure.ts'
import { SurveySchema } from './survey.ts'

export const SurveyVersionSchema = defineEntity({
  name: 'SurveyVersion',
  properties: {
    survey: () => p.manyToOne(SurveySchema).ref().primary().deleteRule('cascade'),
    version: p.integer().primary(),
    structure: p.json<Structure>().columnType('json').lazy(),
    creator: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade'),
    createdAt: p.datetime(),
  },
})

/** A version of the structure of a survey, numbered from 1. */
export class SurveyVersion extends SurveyVersionSchema.class {}
SurveyVersionSchema.setClass(SurveyVersion)
