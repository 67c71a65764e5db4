import { defineEntity, p } from '@mikro-orm/core'
import { ContactSchema } from './contact.ts'
import { ContactListSchema } from './contact-list.ts'

export const ContactListMemberSchema = defineEntity({
  name: 'ContactListMember',
  properties: {
    list: () => p.manyToOne(ContactListSchema).ref().primary().deleteRule('cascade'),
    contact: () => p.manyToOne(ContactSchema).ref().primary().deleteRule('cascade').index(),
  },
})

/** The membership of a contact in a list. */
export class ContactListMember extends ContactListMemberSchema.class {}
ContactListMemberSchema.setClass(ContactListMember)
