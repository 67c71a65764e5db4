import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/postgres-client.ts'
import { AccountSchema } from '../account/account.ts'
import { GroupSchema } from '../group/group.ts'
import {
  type NumberedStructure,
  numberQuestions,
  type QuestionNumbers,
  type RemovedItems,
} from '../structure/numbering.ts'
import type { Structure } from '../structure/structure.ts'
import type { TextOverrides } from '../text/catalog.ts'
import type { SurveySettings } from './settings.ts'
import { newShortCode } from './short-code.ts'
import type { Weighting } from './weighting.ts'

export const SurveySchema = defineEntity({
  name: 'Survey',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade'),
    name: p.text(),
    /** Derived from the name when the survey is created. Unique per owner; never changes. */
    slug: p.text(),
    live: p.boolean().default(true),
    /**
     * Whether the survey was created in the browser and has never been open. Publishing its structure opens it
     * (survey/drafts.ts).
     */
    unpublished: p.boolean().default(false),
    /** The current structure, normalised. `version` is its version number. */
    structure: p.json<Structure>().columnType('json').lazy(),
    /** Choices and rows of earlier versions that the structure no longer has. */
    removed: p.json<readonly RemovedItems[]>().lazy().default('[]'),
    /**
     * The numbers of the questions of all versions, for the names of columns; null: the structure is the first version,
     * or a server of version 0.9.5 or earlier saved it, so its questions are numbered in their order.
     */
    questionNumbers: p.json<QuestionNumbers>().lazy().nullable(),
    version: p.integer().default(1),
    /** Incremented by every change of this row, so that stale cached snapshots are detected. */
    revision: p.integer().version(),
    settings: p.json<SurveySettings>(),
    /** Texts of the owner that replace texts of the service. */
    texts: p.json<TextOverrides>().columnType('json').lazy().default('{}'),
    /**
     * The smallest id that was reserved for the responses of this survey (response-ids.ts); null: the responses take the
     * next ids of the installation, because none of them was ever anonymous.
     */
    ownIdsFrom: p.bigint('number').nullable(),
    /** The random code of the short link; null: a server of version 0.9.5 or earlier created the survey. */
    shortCode: p.text().nullable(),
    /** Whether short links with a code that was computed from the ID were given out (short-code.ts). */
    hasComputedCode: p.boolean().default(false),
    tags: p.type(TextArray).$type<string[]>().default([]),
    /** The encrypted password of shared reports (report/sharing.ts); null: no report is shared. */
    reportPasswordSealed: p.text().nullable(),
    /** How the weight of a response follows from its answers; null: the survey has no weights. */
    weighting: p.json<Weighting>().lazy().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    /** When the survey was moved to the trash (trash.ts); null: it was not. */
    deletedAt: p.datetime().nullable(),
    /** The number of responses that their respondents have withdrawn. */
    withdrawals: p.integer().default(0),
  },
  uniques: [
    { name: 'survey_owner_slug_key', properties: ['owner', 'slug'] },
    { name: 'survey_short_code_key', properties: ['shortCode'] },
  ],
  indexes: [{ name: 'survey_owner_id_idx', properties: ['owner', 'id'] }],
})

/** A survey: a questionnaire with settings and a public URL. */
export class Survey extends SurveySchema.class {
  rename(name: string, now: Date) {
    this.name = name
    this.updatedAt = now
  }

  setLive(live: boolean, now: Date) {
    this.live = live
    if (live) this.unpublished = false
    this.shortCode ??= newShortCode()
    this.updatedAt = now
  }

  configure(settings: SurveySettings, now: Date) {
    this.settings = settings
    this.updatedAt = now
  }

  setTexts(texts: TextOverrides, now: Date) {
    this.texts = texts
    this.updatedAt = now
  }

  /** Replaces the structure and increments the version. */
  setStructure({ structure, removed }: NumberedStructure, now: Date) {
    this.questionNumbers = numberQuestions(structure, this.questionNumbers ?? numberQuestions(this.structure))
    this.structure = structure
    this.removed = removed
    this.version += 1
    this.updatedAt = now
  }
}
SurveySchema.setClass(Survey)

export const SurveyGroupSchema = defineEntity({
  name: 'SurveyGroup',
  properties: {
    survey: () => p.manyToOne(SurveySchema).ref().primary().deleteRule('cascade'),
    group: () => p.manyToOne(GroupSchema).ref().primary().deleteRule('cascade').index(),
  },
})

/** The sharing of a survey with a group. */
class SurveyGroup extends SurveyGroupSchema.class {}
SurveyGroupSchema.setClass(SurveyGroup)

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

export const TemplateSchema = defineEntity({
  name: 'Template',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade').index(),
    name: p.text(),
    structure: p.json<Structure>().columnType('json').lazy(),
    createdAt: p.datetime(),
  },
})

/** A structure for new surveys. */
export class Template extends TemplateSchema.class {}
TemplateSchema.setClass(Template)
