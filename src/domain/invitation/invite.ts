import { defineEntity, p } from '@mikro-orm/core'
import { CollectorSchema } from '../collector/collector.ts'
import { ContactSchema } from '../contact/contact.ts'
import { SurveySchema } from '../survey/survey.ts'

export const InviteSchema = defineEntity({
  name: 'Invite',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade'),
    /** The collector of the response. A survey URL with a code therefore needs no parameter `collector`. */
    collector: () => p.manyToOne(CollectorSchema).ref().deleteRule('cascade'),
    /** The invited contact; null: a code without a recipient, or a deleted contact. */
    contact: () => p.manyToOne(ContactSchema).ref().deleteRule('set null').nullable().index(),
    code: p.text(),
    /**
     * The email address and name that the contact had when the invitation was created. Both are also stored in the
     * response.
     */
    email: p.text().nullable(),
    name: p.text().nullable(),
    createdAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    viewedAt: p.datetime().nullable(),
    bouncedAt: p.datetime().nullable(),
    /** Only for anonymous responses: the day of use, instead of a reference to the response. */
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

/** A code that opens a survey through one of its collectors and identifies the invited person. */
export class Invite extends InviteSchema.class {}
InviteSchema.setClass(Invite)
