import { type DoctorContext, type Finding, ok } from "../../lib/doctor/finding.ts";

export function checkDisk({ world }: DoctorContext): Finding[] {
  return [ok(`There is room in ${world.paths.state}`)];
}
