import type { components, operations as described } from '../../../generated/v3/types.ts'
import type { Handler } from '../operation.ts'

/** What is asked of us; what we ask of a webhook's subscriber is described too, but not served. */
export type operations = Omit<described, 'surveyCreate' | 'responseComplete' | 'reportCreate' | 'contactCreate'>
/** A handler of one operation of this version, typed by the contract. */
export type Operation<Id extends keyof operations> = Handler<operations[Id]>
/** The schemas of this version, for its views. */
export type Schemas = components['schemas']
