import { defineEntity, p } from '@mikro-orm/core'
import { GroupSchema } from '../group/group.ts'
import { SurveySchema } from './survey.ts'

export const SurveyGroupSchema = defineEntity({
  name: 'SurveyGroup',
  properties: {
    survey: () => p.manyToOne(SurveySchema).ref().primary().deleteRule('cascade'),
    group: () => p.manyToOne(GroupSchema).ref().primary().deleteRule('cascade').index(),
  },
})

/** The sharing of a survey with a group. */
export class SurveyGroup extends SurveyGroupSchema.class {}
SurveyGroupSchema.setClass(SurveyGroup)
