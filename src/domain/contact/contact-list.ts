import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'

export const ContactListSchema = defineEntity({
  name: 'ContactList',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade').index(),
    name: p.text(),
    /** `#` and six hexadecimal digits. */
    color: p.text(),
    createdAt: p.datetime(),
  },
})

/** A named list of contacts of one address book. */
export class ContactList extends ContactListSchema.class {}
ContactListSchema.setClass(ContactList)
