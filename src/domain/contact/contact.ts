import { defineEntity, type Opt, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'

export const ContactSchema = defineEntity({
  name: 'Contact',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade'),
    name: p.text(),
    email: p.text(),
    unsubscribed: p.boolean().default(false),
    /** When the contact unsubscribed by a link in an email; null otherwise. */
    unsubscribedAt: p.datetime().nullable(),
    /** Values by the name of the custom field; fields without a value are absent. */
    custom: p.json<Record<string, string>>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    /** The searchable text in lower case; maintained by the database. */
    search: p.text().generated('(contact_search(name, email, custom)) stored').lazy().$type<Opt<string>>(),
  },
  indexes: [
    { name: 'contact_owner_id_idx', properties: ['owner', 'id'] },
    {
      name: 'contact_owner_email_name_key',
      expression: 'create unique index contact_owner_email_name_key on contact (owner_id, lower(email), name)',
    },
    {
      name: 'contact_search_idx',
      expression: 'create index contact_search_idx on contact using gin (owner_id, search gin_trgm_ops)',
    },
  ],
})

/**
 * A contact in the address book of an account; unique by name and email address. The case of the email address is
 * ignored.
 */
export class Contact extends ContactSchema.class {}
ContactSchema.setClass(Contact)

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
class ContactField extends ContactFieldSchema.class {}
ContactFieldSchema.setClass(ContactField)

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

export const ContactListMemberSchema = defineEntity({
  name: 'ContactListMember',
  properties: {
    list: () => p.manyToOne(ContactListSchema).ref().primary().deleteRule('cascade'),
    contact: () => p.manyToOne(ContactSchema).ref().primary().deleteRule('cascade').index(),
  },
})

/** The membership of a contact in a list. */
class ContactListMember extends ContactListMemberSchema.class {}
ContactListMemberSchema.setClass(ContactListMember)
