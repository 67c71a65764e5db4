import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'

export const ContactFieldSchema = defineEntity({
  name: 'ContactField',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade'),
    name: p.text(),
  },
  uniques: [{ name: 'contact_field_name_key', properties: ['owner', 'name'] }],
})

/**
 * The name of a custom field of an address book. The field is created when a contact first gets a value for it, or when
 * an imported table has a column for it. It is never deleted.
 */
export class ContactField extends ContactFieldSchema.class {}
ContactFieldSchema.setClass(ContactField)
