use std::process::Command;

use super::*;

const SIZE: u64 = 1 << 20;

fn disks(names: &[&str]) -> Vec<(String, u64)> {
    names.iter().map(|name| ((*name).into(), SIZE)).collect()
}

fn refusal(backing: &Backing, disks: &[(String, u64)]) -> String {
    backing.open(disks).unwrap_err().to_string()
}

/// Waits while what was closed is still held: by a program that another test of this process is
/// just starting, which has all its files until it begins.
fn closed(path: &Path) {
    while !users::writers(path).unwrap().is_empty() {
        std::thread::yield_now();
    }
}

#[test]
fn a_folder_keeps_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let backing = Backing::Folder(folder.path().into());
    let stores = backing.open(&disks(&["data", "wij"])).unwrap();
    stores[1].write(4096, b"kept").unwrap();
    let file = folder.path().join("wij.img");
    assert_eq!(
        refusal(&backing, &disks(&["wij"])),
        format!("{}: in use by another process", file.display())
    );
    drop(stores);
    closed(&file);
    let stores = backing.open(&disks(&["wij"])).unwrap();
    let mut buffer = [0; 4];
    stores[0].read(4096, &mut buffer).unwrap();
    assert_eq!(&buffer, b"kept");
}

#[test]
fn a_file_of_another_size_is_refused_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let backing = Backing::Folder(folder.path().into());
    let path = folder.path().join("data.img");
    fs::write(&path, [0; 8192]).unwrap();
    let expected = format!(
        "{}: 8KiB; the disk has 1MiB; remove the file or give another folder",
        path.display()
    );
    assert_eq!(refusal(&backing, &disks(&["first", "data"])), expected);
    assert!(!folder.path().join("first.img").exists());
    assert!(path.exists());
}

#[test]
fn an_image_holds_one_disk_that_it_has_room_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    fs::write(&path, vec![0; SIZE as usize + 1]).unwrap();
    let backing = Backing::Image(path.clone());
    let stores = backing.open(&disks(&["data"])).unwrap();
    assert_eq!(stores[0].size(), SIZE);
    drop(stores);
    closed(&path);
    assert!(refusal(&backing, &disks(&["a", "b"])).contains("holds one disk, not 2"));
    let larger = [("data".to_owned(), 2 * SIZE)];
    let expected = "1048577B; `data` has 2MiB, expected at least that";
    assert!(refusal(&backing, &larger).contains(expected));
}

/// Used by its name in the upper folder of an overlay, and given by that in the overlay.
#[test]
fn an_image_in_an_overlay_is_refused_while_it_is_used_by_its_other_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["lower", "upper", "work", "overlay"] {
        fs::create_dir(at(name)).unwrap();
    }
    let mounted = Command::new("mount")
        .args(["-t", "overlay", "overlay", "-o"])
        .arg("lowerdir=lower,upperdir=upper,workdir=work")
        .arg(at("overlay"))
        .current_dir(folder.path())
        .output();
    if !mounted.is_ok_and(|mounted| mounted.status.success()) {
        // An overlay takes root, and a file system that can be its upper one.
        return;
    }
    let path = at("overlay/image");
    let file = File::create(at("upper/image")).unwrap();
    file.set_len(SIZE).unwrap();
    let mut user = Command::new("sleep").arg("60").stdin(file).spawn().unwrap();
    let expected = format!(
        "{}: in use by sleep (process {})",
        path.display(),
        user.id()
    );
    let used = Backing::Image(path.clone()).open(&disks(&["data"]));
    user.kill().and_then(|()| user.wait()).unwrap();
    let free = Backing::Image(path).open(&disks(&["data"])).map(|_| ());
    Command::new("umount").arg(at("overlay")).status().unwrap();
    assert_eq!(used.unwrap_err().to_string(), expected);
    free.unwrap();
}

#[test]
fn large_disks_take_no_room_until_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let size = 8_u64 << 40;
    for backing in [Backing::Ram, Backing::Folder(folder.path().into())] {
        let store = backing.open(&[("data".into(), size)]).unwrap().remove(0);
        store.write(size - 4, b"last").unwrap();
        let extents = store.extents(0, size).unwrap();
        assert!(extents[0].hole && extents[0].len >= size - 65536);
        store.trim(0, size).unwrap();
        let mut buffer = [1; 4];
        store.read(size - 4, &mut buffer).unwrap();
        assert_eq!(buffer, [0; 4]);
    }
}

#[test]
fn what_no_file_can_hold_is_refused_with_the_most_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let backing = Backing::Folder(folder.path().into());
    let message = match backing.open(&[("data".into(), u64::MAX >> 1 & !4095)]) {
        Ok(_) => return,
        Err(error) => error.to_string(),
    };
    assert!(message.contains("is too large for this file system, whose files have at most"));
    assert!(!folder.path().join("data.img").exists());
}

#[test]
fn text_names_memory_a_folder_or_an_image() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().to_str().unwrap();
    assert_eq!("ram".parse(), Ok(Backing::Ram));
    assert_eq!(text.parse(), Ok(Backing::Folder(text.into())));
    let missing = format!("{text}/none");
    assert_eq!(
        missing.parse::<Backing>(),
        Err(format!(
            "`{missing}`: No such file or directory; \
             expected ram, a folder or an existing image file"
        ))
    );
    let wrong = "`/dev/null`: neither a folder nor a regular file";
    assert!(
        "/dev/null"
            .parse::<Backing>()
            .unwrap_err()
            .starts_with(wrong)
    );
}
