//! The objects that the dynamic linker has loaded into the process, and their names.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::{ptr, slice};

/// An entry of the dynamic section (System V ABI, figure 5-9).
#[repr(C)]
struct DynamicEntry {
    tag: isize,
    value: usize,
}

const DT_NULL: isize = 0;
const DT_STRTAB: isize = 5;
const DT_SONAME: isize = 14;

/// The files of all loaded libraries, in load order, without the program itself.
pub(crate) fn loaded_objects() -> Vec<CString> {
    let mut names = Vec::new();
    each_object(|info| names.extend(file(info).map(CStr::to_owned)));
    names
}

/// The names of all loaded libraries: those of their files, and those that they have themselves
/// (`DT_SONAME`), by which the linker knows them, too.
#[must_use]
pub fn loaded_names() -> Vec<CString> {
    let mut names = Vec::new();
    each_object(|info| {
        names.extend([file(info), soname(info)].into_iter().flatten().map(Into::into))
    });
    names
}

/// Shows all loaded objects.
fn each_object<F: FnMut(&libc::dl_phdr_info)>(mut look: F) {
    unsafe extern "C" fn visit<F: FnMut(&libc::dl_phdr_info)>(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        look: *mut c_void,
    ) -> c_int {
        // SAFETY: dl_iterate_phdr passes a valid record, and the closure given below.
        let (info, look) = unsafe { (&*info, &mut *look.cast::<F>()) };
        look(info);
        0
    }
    // SAFETY: `visit` has the right type, and what is shown by it does not unwind; the closure
    // outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit::<F>), (&raw mut look).cast()) };
}

/// The file of an object that is being shown; the program itself has none.
fn file(info: &libc::dl_phdr_info) -> Option<&CStr> {
    if info.dlpi_name.is_null() {
        return None;
    }
    // SAFETY: a C string that lives as long as the object.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) };
    (!name.is_empty()).then_some(name)
}

/// The name in the dynamic section of an object that is being shown.
fn soname(info: &libc::dl_phdr_info) -> Option<&CStr> {
    let base = usize::try_from(info.dlpi_addr).ok()?;
    if info.dlpi_phdr.is_null() {
        return None;
    }
    // SAFETY: so many program headers, by the record.
    let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
    let start = base.wrapping_add(usize::try_from(dynamic.p_vaddr).ok()?);
    let mut entry = ptr::with_exposed_provenance::<DynamicEntry>(start);
    let (mut strings, mut name) = (None, None);
    loop {
        // SAFETY: the section is mapped while the object is shown, and DT_NULL ends it.
        let DynamicEntry { tag, value } = unsafe { entry.read() };
        match tag {
            DT_NULL => break,
            DT_STRTAB => strings = Some(value),
            DT_SONAME => name = Some(value),
            _ => {}
        }
        // SAFETY: another entry follows one that is not the last.
        entry = unsafe { entry.add(1) };
    }
    // glibc has added the base, but not in what the kernel maps (vdso).
    let strings = strings.map(|at| if at < base { base.wrapping_add(at) } else { at })?;
    let text = ptr::with_exposed_provenance::<c_char>(strings.wrapping_add(name?));
    // SAFETY: a C string in the table of strings of the object, which is mapped.
    Some(unsafe { CStr::from_ptr(text) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_the_names_that_they_have_themselves() {
        let (files, names) = (loaded_objects(), loaded_names());
        let libc = CString::from(c"libc.so.6");
        assert!(!files.contains(&libc) && names.contains(&libc), "{files:?} {names:?}");
        assert!(files.iter().all(|file| names.contains(file)));
    }
}
