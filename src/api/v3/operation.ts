import type { components, operations as described } from '../../../generated/v3/types.ts'
import type { Handler, Served } from '../engine/operation.ts'

export type operations = Served<described>
/** A handler of one operation of this version, typed by the contract. */
export type Operation<Id extends keyof operations> = Handler<operations[Id]>
/** The schemas of this version, for its views. */
export type Schemas = components['schemas']
