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

/** That a survey is shared with a group. Either goes without the other. */
export class SurveyGroup extends SurveyGroupSchema.class {}
SurveyGroupSchema.setClass(SurveyGroup)
