/** The account of a request. A plain object, because requests share it through a cache. */
export interface Actor {
  id: number
  username: string
  email: string
  name: string
  isDeveloper: boolean
  /** The name of the plan, which sets the limit of API requests. */
  plan: string
}
