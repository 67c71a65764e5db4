import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { isEmailAddress, readEmailAddress } from '../../domain/email-address.ts'
import type { Contract } from './contract.ts'

export type { ErrorObject, ValidateFunction }

const addFormats = formats as unknown as (ajv: Ajv2020) => void

/**
 * The formats of OpenAPI, and a custom `email` format. `int64` accepts only integers that JavaScript can represent
 * exactly.
 */
const OPENAPI_FORMATS = {
  int32: { type: 'number', validate: (n: number) => Number.isInteger(n) && n >= -(2 ** 31) && n < 2 ** 31 },
  int64: { type: 'number', validate: (n: number) => Number.isSafeInteger(n) },
  float: true,
  double: true,
  binary: true,
  password: true,
  /**
   * Accepts the addresses to which this service can send email, and ignores surrounding spaces and format characters. The `email` format of
   * JSON Schema is stricter.
   */
  email: (text: string) => isEmailAddress(readEmailAddress(text)),
} as const

/**
 * The ID under which the contract is added to Ajv. All references begin with this ID, so that Ajv resolves them in the
 * added contract and compiles each of its schemas only once.
 */
const ROOT = 'contract:'

/**
 * Compiles schemas of a contract by JSON pointer on first use. With the Ajv option `useDefaults`, validation adds the
 * default values of members that are missing.
 */
export class Schemas {
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(contract: Contract, options: Options) {
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, addUsedSchema: false, verbose: true, ...options })
    addFormats(this.#ajv)
    for (const [name, format] of Object.entries(OPENAPI_FORMATS)) this.#ajv.addFormat(name, format)
    this.#ajv.addSchema({ ...contract, $id: ROOT })
  }

  /** Returns the validator of a schema, for example `#/components/schemas/Survey`. */
  at(pointer: string): ValidateFunction {
    let validate = this.#compiled.get(pointer)
    if (!validate) {
      validate = this.#ajv.compile({ $ref: ROOT + pointer })
      this.#compiled.set(pointer, validate)
    }
    return validate
  }

  /** Returns a validator for an object whose members are validated by schemas of the contract. */
  object(shape: {
    properties: Readonly<Record<string, { pointer: string; default?: unknown }>>
    required: readonly string[]
    open: boolean
  }): ValidateFunction {
    const properties = Object.fromEntries(
      Object.entries(shape.properties).map(([name, { pointer, ...rest }]) => [name, { $ref: ROOT + pointer, ...rest }]),
    )
    return this.#ajv.compile({ type: 'object', properties, required: shape.required, additionalProperties: shape.open })
  }
}
