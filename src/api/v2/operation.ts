import type { components, operations as described } from '../../../generated/v2/types.ts'
import type { Services } from '../../domain/services.ts'
import type { Handler, Served } from '../engine/operation.ts'

export type operations = Served<described>
/** A handler of one operation of this version, typed by the contract. */
export type Operation<Id extends keyof operations> = Handler<operations[Id]>
/** The schemas of this version, for its views. */
export type Schemas = components['schemas']

/** Absolute URLs of version 2. */
const root = ({ baseUrl }: Services) => `${baseUrl}/api/v2/`

export const surveyUri = (services: Services, id: number) => `${root(services)}surveys/${id}/`
export const userUri = (services: Services, id: number) => `${root(services)}users/${id}/`
export const groupUri = (services: Services, id: number) => `${root(services)}groups/${id}/`
export const planUri = (services: Services, name: string) => `${root(services)}plan/${encodeURIComponent(name)}/`
export const contactUri = (services: Services, id: number) => `${root(services)}contacts/${id}/`
export const contactListUri = (services: Services, id: number) => `${root(services)}contact-lists/${id}/`
export const emailUri = (services: Services, id: number) => `${root(services)}emails/${id}/`
