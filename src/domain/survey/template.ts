import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'
import type { Structure } from '../structure/structure.ts'

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
