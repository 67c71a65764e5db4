import { v3 } from '../../../src/api/v3/index.ts'
import { describeRoles } from '../roles/describe-roles.ts'
import { rules } from './role-rules.ts'

describeRoles('v3', v3, rules)
