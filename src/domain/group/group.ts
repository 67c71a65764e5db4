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

/** People who work together on the surveys that are shared with them. */
export class Group extends GroupSchema.class {}
GroupSchema.setClass(Group)
