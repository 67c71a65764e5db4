import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/postgres-client.ts'
import { AccountSchema } from '../account/account.ts'
import { GroupSchema } from './group.ts'
import type { Role } from './role.ts'

export const GroupMemberSchema = defineEntity({
  name: 'GroupMember',
  properties: {
    group: () => p.manyToOne(GroupSchema).ref().primary().deleteRule('cascade'),
    account: () => p.manyToOne(AccountSchema).ref().primary().deleteRule('cascade').index(),
    roles: p.type(TextArray).$type<Role[]>(),
    createdAt: p.datetime(),
  },
})

/** The membership of an account in a group, with its roles on the surveys of the group. */
export class GroupMember extends GroupMemberSchema.class {}
GroupMemberSchema.setClass(GroupMember)
