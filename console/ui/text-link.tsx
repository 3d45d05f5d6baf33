import Link, { type LinkProps } from '@mui/material/Link'
import { LinkBase } from 'ra-core'

/** A link within the interface. */
export const TextLink = ({ to, ...rest }: LinkProps & { to: string }) => (
  <Link component={LinkBase} to={to} underline="hover" {...rest} />
)
