import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/text-array.ts'
import { AccountSchema } from '../account/account.ts'
import type { Numbered, RemovedItems } from '../structure/numbering.ts'
import type { Structure } from '../structure/structure.ts'
import type { SurveySettings } from './settings.ts'

export const SurveySchema = defineEntity({
  name: 'Survey',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade'),
    name: p.text(),
    /** Made from the first name, unique among the owner's surveys, never changed afterwards. */
    slug: p.text(),
    live: p.boolean().default(true),
    /** The current structure, normalised; `version` numbers it. */
    structure: p.json<Structure>().columnType('json').lazy(),
    /** Choices and rows that earlier versions offered and the structure does not. */
    removed: p.json<readonly RemovedItems[]>().lazy().default('[]'),
    version: p.integer().default(1),
    /** Grows with every change of this row: what a cached copy is checked against when a response comes in. */
    revision: p.integer().version(),
    settings: p.json<SurveySettings>(),
    tags: p.type(TextArray).$type<string[]>().default([]),
    /** Opens the reports to others (report/sharing.ts); null: they are not shared. */
    reportPasswordSealed: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [{ name: 'survey_owner_slug_key', properties: ['owner', 'slug'] }],
  indexes: [{ name: 'survey_owner_id_idx', properties: ['owner', 'id'] }],
})

/** A questionnaire with an address where it is taken. */
export class Survey extends SurveySchema.class {
  rename(name: string, now: Date) {
    this.name = name
    this.updatedAt = now
  }

  open(live: boolean, now: Date) {
    this.live = live
    this.updatedAt = now
  }

  configure(settings: SurveySettings, now: Date) {
    this.settings = settings
    this.updatedAt = now
  }

  /** Replaces the structure; every accepted structure is a version of its own. */
  restructure({ structure, removed }: Numbered, now: Date) {
    this.structure = structure
    this.removed = removed
    this.version += 1
    this.updatedAt = now
  }
}
SurveySchema.setClass(Survey)
