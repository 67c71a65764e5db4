import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'

export const GroupSchema = defineEntity({
  name: 'Group',
  tableName: 'account_group',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade').index(),
    name: p.text(),
    createdAt: p.datetime(),
  },
})

/** A team of accounts with access to the surveys that are shared with it. */
export class Group extends GroupSchema.class {}
GroupSchema.setClass(Group)
