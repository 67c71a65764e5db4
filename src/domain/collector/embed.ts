import { defineEntity, p } from '@mikro-orm/core'
import { SurveySchema } from '../survey/survey.ts'
import { CollectorSchema } from './collector.ts'

export const EMBED_KINDS = ['iframe', 'popup', 'link'] as const
export type EmbedKind = (typeof EMBED_KINDS)[number]

export const EmbedSchema = defineEntity({
  name: 'Embed',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').index(),
    collector: () => p.manyToOne(CollectorSchema).ref().deleteRule('cascade').nullable(),
    kind: p.text().$type<EmbedKind>(),
    createdAt: p.datetime(),
  },
})

/** A snippet that embeds a survey into another web page. */
export class Embed extends EmbedSchema.class {}
EmbedSchema.setClass(Embed)
