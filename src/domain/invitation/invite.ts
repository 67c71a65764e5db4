import { defineEntity, p } from '@mikro-orm/core'
import { CollectorSchema } from '../collector/collector.ts'
import { ContactSchema } from '../contact/contact.ts'
import { SurveySchema } from '../survey/survey.ts'

export const InviteSchema = defineEntity({
  name: 'Invite',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade'),
    /** Where its response counts; a code alone tells it, so that an address needs no `collector`. */
    collector: () => p.manyToOne(CollectorSchema).ref().deleteRule('cascade'),
    /** Who was invited; null: whoever has the code, or somebody who is not in the address book any more. */
    contact: () => p.manyToOne(ContactSchema).ref().deleteRule('set null').nullable().index(),
    code: p.text(),
    /** As they were when the invitation was written: what a response is bound to. */
    email: p.text().nullable(),
    name: p.text().nullable(),
    createdAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    viewedAt: p.datetime().nullable(),
    bouncedAt: p.datetime().nullable(),
    /** Only where responses are anonymous: the day on which it was used, instead of which response is its own. */
    usedOn: p.date().nullable(),
  },
  uniques: [{ name: 'invite_survey_code_key', properties: ['survey', 'code'] }],
  indexes: [
    { name: 'invite_survey_id_idx', properties: ['survey', 'id'] },
    { name: 'invite_collector_id_idx', properties: ['collector', 'id'] },
    {
      name: 'invite_collector_contact_key',
      expression:
        'create unique index invite_collector_contact_key on invite (collector_id, contact_id) where contact_id is not null',
    },
  ],
})

/** A code that lets somebody take a survey by one of its collectors, and tells that they were the one. */
export class Invite extends InviteSchema.class {}
InviteSchema.setClass(Invite)
